package report

import (
	"bytes"
	"context"
	"encoding/json"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"hodor/internal/enginetest"
	"hodor/internal/statetest"
)

func makePage(t *testing.T, st *statetest.State) []byte {
	t.Helper()
	s := store(t, st.Records)
	r := collect(t, s, Options{SinceMS: ms("2026-10-01")})
	g, err := Lineage(context.Background(), s, statetest.Scope, r, 90)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteHTML(&b, r, g); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The page names nothing outside itself, and forbids the browser to fetch anything.
func TestPageIsAlone(t *testing.T) {
	page := string(makePage(t, statetest.Shop()))
	if !strings.Contains(page, `content="default-src 'none';`) {
		t.Error("no content security policy")
	}
	page = strings.ReplaceAll(page, "http://www.w3.org/2000/svg", "") // a namespace, never fetched
	if m := regexp.MustCompile(`(?i)https?://|\bsrc=|@import|url\(|<link`).FindString(page); m != "" {
		t.Errorf("the page has %q", m)
	}
	if strings.Contains(page, "__DATA__") {
		t.Error("the data is missing")
	}
}

// What a record holds can't end the element that it stands in.
func TestPageEscapes(t *testing.T) {
	st := statetest.New("duckdb")
	st.Run(1, "2026-10-01 04:00", "on")
	st.Build(&statetest.Node{ID: "model.shop.</script><script>alert(1)", Kind: "table"}, "no_history", 10, "1")
	if page := string(makePage(t, st)); strings.Contains(page, "<script>alert") {
		t.Error("a name came out as markup")
	}
}

// drive is what a user does, by keyboard where there is one, and what the page shows then. It stands in the page's own script, so that a real browser
// runs it.
const drive = `<script>
const log = {}, press = (e, key) => e.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
const names = () => [...document.querySelectorAll("#nodes tbody tr")].map(tr => tr.cells[0].textContent);
try {
  log.title = document.title; log.tiles = $("tiles").textContent; log.all = names().length; log.first = chosen.unique_id;
  press(document.body, "/"); log.focus = document.activeElement.id;
  $("filter").value = "stg view"; $("filter").dispatchEvent(new Event("input")); log.filtered = names(); log.count = $("count").textContent;
  press($("filter"), "ArrowDown"); press(document.activeElement, "ArrowDown"); log.row = document.activeElement.cells[0].textContent;
  press(document.activeElement, "Enter"); log.chosen = chosen.unique_id; log.said = $("chosen").textContent;
  press(document.body, "Escape"); log.cleared = names().length;
  document.querySelectorAll("#nodes th button")[4].click(); log.byBuilt = document.querySelector("#nodes tbody tr").cells[4].textContent;
  log.sorted = document.querySelectorAll("#nodes th")[4].getAttribute("aria-sort");
  $("find").value = "model.shop.summary"; $("find").dispatchEvent(new Event("change"));
  log.vertices = [...document.querySelectorAll("#graph g.node")].map(g => g.getAttribute("aria-label")).sort();
  log.hot = document.querySelectorAll("#graph path.hot").length;
  $("depth").value = "1"; $("depth").dispatchEvent(new Event("change")); log.near = document.querySelectorAll("#graph g.node").length;
  document.querySelector("#graph g.here").focus(); press(document.activeElement, "ArrowLeft"); press(document.activeElement, "Enter"); log.left = chosen.unique_id;
  $("back").click(); log.back = chosen.unique_id;
  $("theme").click(); const one = getComputedStyle(document.body).backgroundColor; $("theme").click(); log.themes = one !== getComputedStyle(document.body).backgroundColor;
  log.unstable = $("unstable").textContent; log.false = $("false").textContent;
} catch (e) { log.error = String(e.stack || e); }
document.body.append(el("pre", { id: "log" }, JSON.stringify(log)));
</script></body>`

// TestPageInBrowser opens the page in Chromium and uses it.
func TestPageInBrowser(t *testing.T) {
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			browser = path
			break
		}
	}
	if browser == "" {
		enginetest.Missing(t, "no Chromium: apt-get install chromium")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "page.html")
	page := bytes.Replace(makePage(t, statetest.Shop()), []byte("</body>"), []byte(drive), 1)
	if err := os.WriteFile(file, page, 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--proxy-server=127.0.0.1:1",
		"--user-data-dir="+filepath.Join(dir, "profile"), "--window-size=1280,1000", "--virtual-time-budget=5000", "--dump-dom", "file://"+file)
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.Output()
	m := regexp.MustCompile(`(?s)<pre id="log">(.*?)</pre>`).FindSubmatch(out)
	if m == nil {
		t.Fatalf("the browser shows no outcome: %v\n%.500s", err, out)
	}
	var log struct {
		Title, Tiles, First, Focus, Count, Row, Chosen, Said, ByBuilt, Sorted, Left, Back, Unstable, False, Error string
		All, Cleared, Hot, Near                                                                                   int
		Filtered, Vertices                                                                                        []string
		Themes                                                                                                    bool
	}
	if err := json.Unmarshal([]byte(html.UnescapeString(string(m[1]))), &log); err != nil {
		t.Fatal(err)
	}
	if log.Error != "" {
		t.Fatal(log.Error)
	}
	check := func(what string, ok bool, got any) {
		if !ok {
			t.Errorf("%s: %v", what, got)
		}
	}
	check("title", log.Title == "hodor: shop, target prod", log.Title)
	check("tiles", strings.Contains(log.Tiles, "1false reuses") && strings.Contains(log.Tiles, "of the nodes reused"), log.Tiles)
	check("all nodes are listed", log.All == 11 && log.Cleared == 11, log.All)
	check("a node that was built is shown first", log.First == "model.shop.customers" || log.First == "model.shop.summary", log.First)
	check("/ goes to the filter", log.Focus == "filter", log.Focus)
	check("the filter", strings.Join(log.Filtered, " ") == "stg_orders stg_tickets" && log.Count == "2 of 11 nodes", log.Filtered)
	check("arrows move through the rows", log.Row == "stg_tickets", log.Row)
	check("Enter chooses", log.Chosen == "model.shop.stg_tickets" && strings.Contains(log.Said, "a view stores no data"), log.Said)
	check("sorting", log.Sorted == "descending" && log.ByBuilt == "4", log.ByBuilt)
	want := []string{
		"model.shop.customers, built code_changed", "model.shop.orders, reused no_new_data", "model.shop.ratings, reused no_new_data",
		"model.shop.stg_tickets, reused view_unchanged", "model.shop.summary, built new_upstream_data", "seed.shop.countries, reused no_new_data",
	}
	check("the lineage has two steps", strings.Join(log.Vertices, "; ") == strings.Join(want, "; "), strings.Join(log.Vertices, "; "))
	check("the way of the change is marked", log.Hot == 2, log.Hot)
	check("one step", log.Near == 3, log.Near)
	check("arrows and Enter walk the lineage", log.Left == "model.shop.customers" || log.Left == "model.shop.ratings", log.Left)
	check("Back", log.Back == "model.shop.summary", log.Back)
	check("light and dark", log.Themes, log.Themes)
	check("SQL that changes", strings.Contains(log.Unstable, "stamped"), log.Unstable)
	check("false reuses", strings.Contains(log.False, "ratings") && strings.Contains(log.False, "no_new_data"), log.False)
}
