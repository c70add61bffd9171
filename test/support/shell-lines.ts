/**
 * Returns the lines of a script, with `_` for its quotes, that an interactive zsh does not read as other shells do: a comment is
 * a command there, and a word with `?`, `*` or `[` outside of quotes is an error, unless it is the pattern of a file.
 */
export function linesUnlikeZsh(script: string): readonly string[] {
  const code = script
    .replace(/<<-?'?(\w+)'?([^\n]*)\n.*?^\1$/gms, '$2')
    .replace(/\\.|'[^']*'|"(?:\\.|[^"\\])*"/gs, '_')
    .replace(/\$\?|\$\{[^}]*\}|\$\(\(.*?\)\)|\[\[? /g, '_');
  return code.split('\n').filter((line) => /(?:^|\s)#|[?*[]/.test(line));
}
