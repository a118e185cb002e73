"""What mbrs puts on the path of modules: nothing but the plug-in."""
