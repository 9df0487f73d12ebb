"""The dashboard: presents what `core` computes."""

#: Cookie by which the server tells one browser from another: sessions belong to theirs.
BROWSER = "tripletscope-browser"
