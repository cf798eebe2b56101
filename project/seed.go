package project

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"os"
)

// SeedHash is the code hash of a seed: SHA-256 of its CSV file with \r\n written as \n outside quoted fields (spec 3, S23). "" if the file can't
// be read, which is unknown.
//
// Line ends are only merged where every reader of the file agrees that they are line ends. Python's reader knows the double quote; DuckDB looks
// at the file and may take a single quote at the start of a field for the quote, a backslash or single quote before a double one for an escape, or
// no quotes at all where they don't match. A file with any of these, with both kinds of line ends, or with a lone \r is hashed byte for byte.
func (n *Node) SeedHash() string {
	if n.Resource != Seed || n.SeedPath == "" {
		return ""
	}
	f, err := os.Open(n.SeedPath)
	if err != nil {
		return ""
	}
	defer f.Close()
	sum, err := hashCSV(f, n.delimiter())
	if err != nil {
		return ""
	}
	return sum
}

func (n *Node) delimiter() string {
	if d := n.config.get("delimiter").str(); d != "" {
		return d
	}
	return ","
}

func hashCSV(r io.Reader, delimiter string) (string, error) {
	c := csvScan{delimiter: []byte(delimiter), fieldStart: true, exact: sha256.New(), merged: sha256.New()}
	c.exact.Write([]byte("hodor seed 1, bytes\n"))
	c.merged.Write([]byte("hodor seed 1, lines\n"))
	br := bufio.NewReaderSize(r, 64<<10)
	var line []byte
	for first := true; ; first = false {
		part, err := br.ReadSlice('\n')
		line = append(line, part...)
		if err == bufio.ErrBufferFull {
			continue
		}
		if err != nil && err != io.EOF {
			return "", err
		}
		body := line
		if first {
			body = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		}
		c.exact.Write(line)
		c.line(line, body)
		line = line[:0]
		if err == io.EOF {
			break
		}
	}
	if c.doubtful || c.quoted || c.lf && c.crlf || c.anyLF && c.anyCRLF && c.tricky {
		return hex.EncodeToString(c.exact.Sum(nil)), nil
	}
	return hex.EncodeToString(c.merged.Sum(nil)), nil
}

// csvScan follows Python's csv module over the lines of a file.
type csvScan struct {
	delimiter     []byte
	exact, merged hash.Hash
	quoted        bool // inside a quoted field
	fieldStart    bool
	lf, crlf      bool // kinds of line ends seen outside quotes
	doubtful      bool
	// Line ends of two kinds, one of them inside quotes, are harmless unless the quoted text holds what may be an escape.
	anyLF, anyCRLF, tricky bool
}

// line takes one line with its end. body is the line without a byte order mark.
func (c *csvScan) line(line, body []byte) {
	blanks := true // only blanks since the start of the field
	for i := 0; i < len(body); i++ {
		b := body[i]
		if c.quoted {
			if b != '"' {
				c.tricky = c.tricky || b == '\'' || b == '\\'
				continue
			}
			if i > 0 && (body[i-1] == '\\' || body[i-1] == '\'') {
				c.doubtful = true
			}
			if i+1 < len(body) && body[i+1] == '"' {
				c.tricky = true
				i++
				continue
			}
			c.quoted, blanks = false, false
			rest := body[i+1:]
			c.doubtful = c.doubtful || len(rest) > 0 && rest[0] != '\n' && rest[0] != '\r' && !bytes.HasPrefix(rest, c.delimiter)
			continue
		}
		switch {
		case b == '"' && c.fieldStart:
			c.quoted, c.fieldStart = true, false
			continue
		case (b == '"' || b == '\'') && (c.fieldStart || blanks):
			c.doubtful = true
		case b == '\r' && !(i+2 == len(body) && body[i+1] == '\n'):
			c.doubtful = true
		case bytes.HasPrefix(body[i:], c.delimiter):
			i += len(c.delimiter) - 1
			c.fieldStart, blanks = true, true
			continue
		}
		c.fieldStart = false
		blanks = blanks && (b == ' ' || b == '\t')
	}
	crlf, lf := bytes.HasSuffix(line, []byte("\r\n")), bytes.HasSuffix(line, []byte("\n"))
	c.anyCRLF, c.anyLF = c.anyCRLF || crlf, c.anyLF || lf && !crlf
	if c.quoted || !lf {
		c.merged.Write(line)
		return
	}
	c.fieldStart = true
	if crlf {
		c.crlf = true
		c.merged.Write(line[:len(line)-2])
		c.merged.Write([]byte("\n"))
		return
	}
	c.lf = true
	c.merged.Write(line)
}
