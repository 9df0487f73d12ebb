"""What a page shows of one thing: a file being read, a data set, a map."""
