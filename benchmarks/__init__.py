"""anypair against its peers: every engine in one run, every answer checked, figures as ratios."""
