"""Links between pages, of the sources and of what is installed."""
import os
import re


def dead_links(root, pages=("**/*.md",)):
    """A line for each link of a page in a folder that leads nowhere. A link of the file system may lead out of the folder:
    the license of a Debian package is another package's."""
    for page in sorted(page for pattern in pages for page in root.glob(pattern)):
        text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
            if not os.path.lexists(page.parent / target):
                yield f"{page.relative_to(root)}: nothing is at {target}"
