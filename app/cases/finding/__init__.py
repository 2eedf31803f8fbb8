"""Finding cases and tasks: by risk, by whom they wait for, by what was typed into a search. Reads only.

`risk.py` says how near a term is, `waiting.py` whom a task waits for, `tasks.py` reads the tasks of one person in
order, `matter.py` says what a case is about in one line, `text.py` what a search looks at, `browsing.py` lists cases
and `overview.py` counts them for managers. Nothing here loads the engine, and the number of questions does not grow
with the number of rows.
"""
