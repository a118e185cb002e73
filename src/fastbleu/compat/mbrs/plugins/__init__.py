"""The folder that mbrs puts on the path of modules: it holds nothing but the plug-in."""
