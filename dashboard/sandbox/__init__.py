"""The door for files: uploads are parsed in processes without rights, never in the server.

The server starts such processes (`workers`) and exchanges plain data with them (`plain`). A process
(`reader`) gives up its rights (`limits`), and then answers questions (`questions`).
"""
