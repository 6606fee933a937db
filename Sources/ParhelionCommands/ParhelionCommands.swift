// The first file of the module; replaced by its real contents.
