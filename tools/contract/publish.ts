import { writeFileSync } from 'node:fs';
import { createSchema, schemaDocument } from '../../src/graphql/schema.ts';

writeFileSync(new URL('../../schema/published/paw.graphql', import.meta.url), schemaDocument(createSchema()));
