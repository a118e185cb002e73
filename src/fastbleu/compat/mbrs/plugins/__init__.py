"""The directory that mbrs adds to the module search path. It contains only the plug-in."""
