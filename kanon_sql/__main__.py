"""python -m kanon_sql"""

from kanon_sql.cli.main import main

if __name__ == "__main__":
    main()
