import { type Command, UsageError } from './command.ts';

/** Returns the command that prints the completion script of a shell. @param commands returns all commands */
export function completionCommand(commands: () => readonly Command[]): Command {
  return {
    name: 'completion',
    summary: 'Prints a script that completes commands and options in Bash.',
    operand: 'shell',
    options: {},
    async run(args) {
      if (args.operand !== 'bash') throw new UsageError('The only supported shell is bash.');
      const script = bashScript(commands());
      args.print({ script }, script);
    },
  };
}

/** Returns a Bash script. Each line of its case statement has the words so far, and the candidates for the next word. */
function bashScript(commands: readonly Command[]): string {
  const nextWords = new Map<string, Set<string>>([['', new Set()]]);
  const add = (before: string, word: string) => {
    nextWords.set(before, (nextWords.get(before) ?? new Set()).add(word));
  };
  for (const { name } of commands) {
    const [first = '', second] = name.split(' ');
    add('', first);
    if (second !== undefined) add(first, second);
  }
  const lines = [
    ...commands.map(({ name, options }) => {
      const candidates = [...Object.keys(options), 'json', 'help'].map((option) => `--${option}`);
      return `    '${name}' | '${name} '*) candidates='${candidates.join(' ')}' ;;`;
    }),
    ...[...nextWords].map(([before, words]) => `    '${before}') candidates='${[...words].join(' ')}' ;;`),
  ];
  return `_paw() {
  local candidates=''
  case "\${COMP_WORDS[*]:1:COMP_CWORD-1}" in
${lines.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$candidates" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _paw paw`;
}
