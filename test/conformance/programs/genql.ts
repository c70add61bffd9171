import { createClient, GenqlError } from './generated/index.ts';

const { PAW, TOKEN, WALLET = '' } = process.env;
const connect = (token?: string) =>
  createClient({ url: `${PAW}/graphql`, headers: { authorization: `Bearer ${token}` } });

const account = connect(TOKEN);
const { createApp } = await account.mutation({
  createApp: { __args: { input: { title: 'Till', active: true } }, app: { name: true }, privateKey: true },
});
const input = { name: String(createApp?.app.name), privateKey: String(createApp?.privateKey) };
const { signIn } = await account.mutation({ signIn: { __args: { input }, accessToken: true } });

const app = connect(signIn?.accessToken);
const { projects } = await app.query({ projects: { __args: { first: 2 }, nodes: { title: true } } });
console.log(projects.nodes.map(({ title }) => title).join());

const update = (title: string) =>
  app.mutation({ updateWallet: { __args: { input: { name: WALLET, title } }, wallet: { title: true } } });
console.log((await update('Treasury')).updateWallet?.wallet.title);
try {
  await update('');
} catch (error) {
  if (!(error instanceof GenqlError)) throw error;
  console.log(error.errors[0]?.extensions?.['code']);
}
