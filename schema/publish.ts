import { writeFileSync } from 'node:fs';
import { createSchema, schemaDocument } from '../src/graphql/schema.ts';

writeFileSync(new URL('published/paw.graphql', import.meta.url), schemaDocument(createSchema()));
