// @module-tag night/conformance

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import graphql from '@graphql-eslint/eslint-plugin';
import { ESLint, type Linter } from 'eslint';
import { expect, test } from 'vitest';
import { send } from '../support/both-apis.ts';
import { conforms, exceptionsOf } from '../support/conformance.ts';
import { testFolder, useGateway } from '../support/gateway.ts';

const { rules } = graphql.configs['flat/schema-relay'];

const gateway = useGateway();

test("the served schema follows the rules of Relay's specification, but for the exceptions", async () => {
  const folder = testFolder();
  const schema = join(folder, 'schema.graphql');
  writeFileSync(schema, (await send(`${gateway.url}/schema.graphql`, 'GET')).text);
  const parserOptions = { graphQLConfig: { schema } };
  const eslint = new ESLint({
    cwd: folder,
    overrideConfigFile: true,
    overrideConfig: {
      files: ['*.graphql'],
      plugins: { '@graphql-eslint': graphql },
      languageOptions: { parser: graphql.parser, parserOptions },
      rules,
      // The types of the plugin are those of an earlier ESLint.
    } as unknown as Linter.Config,
  });
  const messages = (await eslint.lintFiles([schema])).flatMap((result) => result.messages);
  const broken = new Set(messages.map(({ ruleId }) => ruleId?.replace('@graphql-eslint/', '')));
  expect([...broken]).toEqual(exceptionsOf('graphql-eslint'));
  conforms('graphql-eslint', Object.keys(rules).length);
});
