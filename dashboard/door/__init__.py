"""The door for files: what a user uploads is parsed in a process of its own, never in the server.

The server starts such processes (`workers`) and talks with them in plain data (`plain`). A process
(`reader`) gives up what a parser led astray could want of the machine (`limits`), and then
answers what it is asked (`questions`).
"""
