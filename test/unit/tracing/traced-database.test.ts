import { expect, test } from 'vitest';
import { connectionAttributes } from '../../../src/tracing/traced-database.ts';

test.each([
  ['sqlite:data/paw.db', { 'db.system.name': 'sqlite' }],
  [
    'postgres://paw:secret@db.example.com/paw',
    {
      'db.system.name': 'postgresql',
      'db.namespace': 'paw',
      'server.address': 'db.example.com',
      'server.port': 5432,
    },
  ],
  [
    'postgres://paw:secret@h1:5433,h2/paw?target_session_attrs=read-write',
    { 'db.system.name': 'postgresql', 'db.namespace': 'paw' },
  ],
])('the spans of %s have the attributes of the connection, without the password', (url, attributes) => {
  expect(connectionAttributes(url)).toEqual(attributes);
});
