import type { OperatorContext } from '../../data/call/call.ts';
import { inOneTransaction } from '../../data/call/one-transaction.ts';
import type { Arguments, Command } from './command.ts';
import { OutputError } from './terminal.ts';
import { withDatabase } from './with-database.ts';

type Change<Result extends object> = Omit<Command, 'run'> & {
  /** Whether the result has a secret, which is shown once. Without it, the change would be of no use. */
  readonly isSecret?: boolean;
  /** Calls operations. The input is the values of the arguments. */
  readonly run: (operator: OperatorContext, input: Arguments['values'], args: Arguments) => Promise<Result>;
  /** The object of `--json`, if it is not the result. */
  readonly view?: (result: Result) => object;
  readonly text: (result: Result) => string;
};

export function changeCommand<Result extends object>(change: Change<Result>): Command {
  const { isSecret = false, run, view = (result) => result, text, ...description } = change;
  return {
    ...description,
    run: (args) =>
      withDatabase(args, async (operator) => {
        const runAndPrint = async (context: OperatorContext) => {
          const result = await run(context, args.values, args);
          args.print(view(result), text(result));
        };
        await (isSecret ? ifPrinted(args, operator, runAndPrint) : runAndPrint(operator));
      }),
  };
}

/**
 * Runs `work` in a transaction that is committed after the result was printed. A secret that can't be printed thus never
 * becomes valid.
 *
 * @throws OutputError if the result can't be printed
 */
async function ifPrinted(
  { terminal }: Arguments,
  operator: OperatorContext,
  work: (operator: OperatorContext) => Promise<void>,
): Promise<void> {
  try {
    if (terminal.isDiscarded()) throw new OutputError('it is closed, or the null device');
    await inOneTransaction(operator, work);
  } catch (error) {
    if (error instanceof OutputError) error.message += ' Nothing was changed.';
    throw error;
  }
}
