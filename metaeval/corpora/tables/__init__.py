"""Tables as people have them: loaded, brought into one layout, and read row by row."""
