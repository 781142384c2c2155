# SPDX-License-Identifier: MIT
"""Sphinx's settings for the site. Nothing on it is fetched from elsewhere, so it works from a folder."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

project = "Quern"
author = "the authors of Quern"
html_title = "Quern"
extensions = ["myst_parser", "sphinx_extension"]
source_suffix = {".md": "markdown"}
root_doc = "index"
highlight_language = "text"

myst_enable_extensions = ["attrs_inline", "deflist", "fieldlist"]
myst_heading_anchors = 4
suppress_warnings = ["misc.highlighting_failure"]

html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_show_copyright = False
# The summaries of results are fetched from the pages, which browsers refuse for files.
html_show_search_summary = False
html_domain_indices = False
html_theme_options = {"navigation_with_keys": True, "top_of_page_buttons": []}
pygments_style = "friendly"
pygments_dark_style = "github-dark"

toc_object_entries_show_parents = "hide"
python_display_short_literal_types = True
add_module_names = False
