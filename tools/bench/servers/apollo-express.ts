import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApolloServer } from '@apollo/server';
import { expressMiddleware } from '@as-integrations/express5';
import express from 'express';
import type { GraphqlContext } from '../../../src/graphql/context.ts';
import { createSchema } from '../../../src/graphql/schema.ts';
import { contextOf, openDataLayer } from './data-layer.ts';

const data = await openDataLayer();
const apollo = new ApolloServer<GraphqlContext>({ schema: createSchema() });
await apollo.start();
const app = express();
app.use(
  '/graphql',
  express.json(),
  expressMiddleware(apollo, { context: ({ req }) => contextOf(data, req.headers.authorization) }),
);
const server = createServer(app);
server.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  console.log(JSON.stringify({ url }));
});
