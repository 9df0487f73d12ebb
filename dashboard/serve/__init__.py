"""The command, the server, and what is compiled before anybody waits."""
