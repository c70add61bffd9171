import { readFileSync } from 'node:fs';

/** One instruction of a Dockerfile. */
export type Instruction = {
  /** The keyword in upper case, such as `RUN`. */
  readonly keyword: string;
  /** The rest, with continuation lines joined. */
  readonly text: string;
};

/** A stage of a Dockerfile. */
export type Stage = {
  /** The base image. */
  readonly image: string;
  readonly name: string | undefined;
  readonly instructions: readonly Instruction[];
};

/** The Dockerfile of the gateway. */
export const DOCKERFILE = new URL('../../deploy/Dockerfile', import.meta.url);

/** Reads the stages of a Dockerfile. @throws Error if it does not begin with FROM */
export function readDockerfile(file: URL): readonly Stage[] {
  const lines = readFileSync(file, 'utf8')
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n\s*/g, '');
  const stages: { image: string; name: string | undefined; instructions: Instruction[] }[] = [];
  for (const line of lines.split('\n').filter((each) => each.trim() !== '')) {
    const [, keyword = '', text = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
    if (keyword === 'FROM') {
      const [image = '', , name] = text.split(/\s+/);
      stages.push({ image, name, instructions: [] });
    } else {
      const stage = stages.at(-1);
      if (stage === undefined) throw new Error(`The Dockerfile begins with ${keyword}.`);
      stage.instructions.push({ keyword, text });
    }
  }
  return stages;
}

/** The text of the last instruction with a keyword, or undefined. */
export function lastOf(stage: Stage, keyword: string): string | undefined {
  return stage.instructions.findLast((instruction) => instruction.keyword === keyword)?.text;
}

/** The variables that a stage sets by ENV. */
export function variablesOf(stage: Stage): Readonly<Record<string, string>> {
  const settings = stage.instructions
    .filter(({ keyword }) => keyword === 'ENV')
    .flatMap(({ text }) => text.split(/\s+/));
  return Object.fromEntries(settings.map((setting) => setting.split(/=(.*)/s).slice(0, 2)));
}
