"""Files of n-best lists, block by block: read, scored and written in flat memory."""
