# SPDX-License-Identifier: MIT
"""quern completion: scripts by which shells complete commands, options and their values."""

from __future__ import annotations

import argparse
import shlex
from dataclasses import dataclass, field

from . import COMMANDS, add_output_arguments, make_parser
from ._output import Output

DESCRIPTION = """Prints a completion script.

  bash  quern completion bash > ~/.local/share/bash-completion/completions/quern
  zsh   quern completion zsh > "${fpath[1]}/_quern"
  fish  quern completion fish > ~/.config/fish/completions/quern.fish"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("shell", choices=("bash", "zsh", "fish"))
    add_output_arguments(parser)


@dataclass
class Words:
    """What may follow a command: its options, their help and their values, and words such as `info` of `cache`."""

    help: str
    options: dict[str, str] = field(default_factory=dict)
    values: dict[str, list[str]] = field(default_factory=dict)  # of options that take one; empty: a file
    words: list[str] = field(default_factory=list)


def run(options: argparse.Namespace) -> int:
    """Runs the command."""
    out = Output(options)
    script = {"bash": _bash, "zsh": _zsh, "fish": _fish}[options.shell](commands())
    out.line(script.rstrip("\n"))
    out.result({"shell": options.shell, "script": script})
    return 0


def commands() -> dict[str, Words]:
    """The words of all commands, from their parsers."""
    parser = make_parser(list(COMMANDS))
    [subparsers] = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    found = {}
    for name, (_, text) in COMMANDS.items():
        words = found[name] = Words(text)
        _collect(subparsers.choices[name], words)
    return found


def _collect(parser: argparse.ArgumentParser, into: Words) -> None:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, inner in action.choices.items():
                into.words.append(name)
                _collect(inner, into)
            continue
        choices = [str(choice) for choice in action.choices or ()]
        for option in action.option_strings:
            into.options[option] = action.help or ""
            if action.nargs != 0:
                into.values[option] = choices
        if not action.option_strings:
            into.words += choices


def _bash(found: dict[str, Words]) -> str:
    cases = []
    for name, words in found.items():
        values = "".join(
            f'        {option}) COMPREPLY=($(compgen -W {shlex.quote(" ".join(choices))} -- "$word")); return ;;\n'
            for option, choices in words.values.items()
            if choices
        )
        files = [option for option, choices in words.values.items() if not choices]
        if files:
            values += f'        {"|".join(files)}) COMPREPLY=($(compgen -f -- "$word")); return ;;\n'
        inner = f'      case "$before" in\n{values}      esac\n' if values else ""
        cases.append(
            f"    {name})\n{inner}"
            f"      options={shlex.quote(' '.join(words.options))}\n      words={shlex.quote(' '.join(words.words))}\n      ;;\n"
        )
    return f"""# SPDX-License-Identifier: MIT
# bash completion of quern
_quern() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" options words
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W {shlex.quote(" ".join([*found, "--help", "--version"]))} -- "$word"))
    return
  fi
  case "${{COMP_WORDS[1]}}" in
{"".join(cases)}    *) return ;;
  esac
  if [[ "$word" == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$word") $(compgen -f -- "$word"))
  fi
}}
complete -o filenames -F _quern quern
"""


def _zsh(found: dict[str, Words]) -> str:
    def clean(text: str) -> str:
        for character in "\\'[]:$`\"":
            text = text.replace(character, "" if character != ":" else ";")
        return text.replace("%%", "%")

    cases = []
    for name, words in found.items():
        specs = []
        for option, text in words.options.items():
            spec = f"{option}[{clean(text)}]"
            if option in words.values:
                choices = words.values[option]
                spec += f":value:({' '.join(choices)})" if choices else ":value:_files"
            specs.append(f"'*{spec}'")
        specs.append(
            f"'*:word:_alternative \"words:word:({' '.join(words.words)})\" files:file:_files'"
            if words.words
            else "'*:file:_files'"
        )
        cases.append(f"    {name})\n      _arguments {' '.join(specs)}\n      ;;\n")
    names = " ".join(f"'{name}:{clean(words.help)}'" for name, words in found.items())
    return f"""#compdef quern
# SPDX-License-Identifier: MIT
# zsh completion of quern
_quern() {{
  local -a names
  names=({names})
  if (( CURRENT == 2 )); then
    _describe command names
    return
  fi
  local name="${{words[2]}}"
  shift words
  (( CURRENT-- ))
  case "$name" in
{"".join(cases)}  esac
}}
if [ "${{funcstack[1]}}" = "_quern" ]; then
  _quern "$@"
else
  compdef _quern quern
fi
"""


def _fish(found: dict[str, Words]) -> str:
    def quoted(text: str) -> str:
        return "'" + text.replace("%%", "%").replace("\\", "\\\\").replace("'", "\\'") + "'"

    lines = ["# SPDX-License-Identifier: MIT", "# fish completion of quern"]
    for name, words in found.items():
        lines.append(f"complete -c quern -n __fish_use_subcommand -f -a {name} -d {quoted(words.help)}")
        condition = quoted(f"__fish_seen_subcommand_from {name}")
        if words.words:
            lines.append(f"complete -c quern -n {condition} -a {quoted(' '.join(words.words))}")
        for option, text in words.options.items():
            flag = f"-l {option[2:]}" if option.startswith("--") else f"-s {option[1:]}"
            value = ""
            if option in words.values:
                choices = words.values[option]
                value = f" -x -a {quoted(' '.join(choices))}" if choices else " -r"
            lines.append(f"complete -c quern -n {condition} {flag}{value} -d {quoted(text)}")
    return "\n".join(lines) + "\n"
