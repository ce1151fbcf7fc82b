"""PLUG-INS: metrics and scores of users, how they are loaded and isolated, and whether they conform."""
