import type { UntrustedInput } from '../data/data-layer.ts';
import type { AdminContext, Dependencies } from '../data/dependencies.ts';
import type { Arguments, Command } from './command.ts';
import { withDatabase } from './with-database.ts';

/** A change of the database, whose result a command prints. */
type Change<Result> = Omit<Command, 'options' | 'run'> & {
  readonly options?: Command['options'];
  /** Calls an operation. The fields of the input are the options with a value, and the operand. */
  readonly run: (
    admin: AdminContext & Pick<Dependencies, 'database' | 'passwords'>,
    input: UntrustedInput,
    args: Arguments,
  ) => Promise<Result>;
  /** Returns the JSON object of the result. */
  readonly view: (result: Result) => object;
  readonly text: (result: Result) => string;
};

/** Returns the command that makes a change. */
export function changeCommand<Result>(change: Change<Result>): Command {
  const { options = {}, run, view, text, ...description } = change;
  const { operand } = description;
  return {
    ...description,
    options,
    run: (args) =>
      withDatabase(args.environment, async (admin) => {
        const values = Object.keys(options).map((option) => [option, args.optional(option)]);
        const input = { ...Object.fromEntries(values), ...(operand && { [operand]: args.operand }) };
        const result = await run(admin, input, args);
        args.print(view(result), text(result));
      }),
  };
}
