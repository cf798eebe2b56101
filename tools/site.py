"""What mkdocs does for this repository beside building docs/ (a hook of mkdocs.yml).

It takes in pages that stand at the root of the repository, where their readers look for them, and sees to it that no page of the site
loads anything from another host: the site is read offline, and its readers are nobody's business.
"""

import re
from pathlib import Path, PurePosixPath

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

#: Pages of the site, and the files that they are made of.
ROOT_PAGES = {"contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md", "security.md": "SECURITY.md"}

LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]+)\)")
LOADED = re.compile(r"""<(?:script|img|iframe|source|video|audio)\b[^>]*\bsrc=["']?((?:https?:)?//[^"'\s>]+)""", re.IGNORECASE)
STYLED = re.compile(
    r"""<link\b(?=[^>]*\brel=["']?(?:stylesheet|preconnect|preload|icon|dns-prefetch))[^>]*\bhref=["']?((?:https?:)?//[^"'\s>]+)"""
)


def on_files(files, config):
    root = Path(config.config_file_path).parent
    for page, source in ROOT_PAGES.items():
        text = (root / source).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=LINK.sub(at_home, text)))
    return files


def at_home(link: re.Match) -> str:
    """A link of a page at the root, as it is right within docs/; what is not in the site becomes plain text."""
    words, target = link[1], link[2]
    if re.match(r"https?:|mailto:|#", target):
        return link[0]
    path, mark, anchor = target.partition("#")
    for page, source in ROOT_PAGES.items():
        if path == source:
            return f"[{words}]({page}{mark}{anchor})"
    parts = PurePosixPath(path).parts
    if parts and parts[0] == "docs" and path.endswith(".md"):
        return f"[{words}]({'/'.join(parts[1:])}{mark}{anchor})"
    return words if words == path else f"{words} (`{path}`)"


def on_page_markdown(markdown, page, config, files):
    """Links of docs/ to the pages at the root, which are right in the repository, are so in the site, too."""
    for name, source in ROOT_PAGES.items():
        markdown = markdown.replace(f"](../{source}", f"]({name}")
    return markdown


def on_post_page(output, page, config):
    for found in (*LOADED.findall(output), *STYLED.findall(output)):
        raise PluginError(f"{page.file.src_uri} loads {found}: everything must be in the site itself")
    return output
