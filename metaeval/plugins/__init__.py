"""PLUG-INS: metrics and scores of others, how they are loaded and isolated, and whether they conform."""
