"""``python -m tgap`` is the command ``tgap``."""

from tgap.cli.main import main

if __name__ == "__main__":
    main()
