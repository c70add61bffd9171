import { createApp, listProjects, signIn, updateWallet } from './generated/index.ts';

const { TOKEN, WALLET = '' } = process.env;
const as = (token?: string) => ({ headers: { authorization: `Bearer ${token}` } });

const created = await createApp({ title: 'Till', active: true }, as(TOKEN));
if (created.status !== 200) throw new Error(created.data.error.message);
const { name, privateKey } = created.data;
const signedIn = await signIn({ privateKey: { name, privateKey } }, as(TOKEN));
if (signedIn.status !== 200) throw new Error(signedIn.data.error.message);

const app = as(signedIn.data.accessToken);
const listed = await listProjects({ pageSize: 2 }, app);
if (listed.status === 200) console.log(listed.data.projects.map(({ title }) => title).join());
const updated = await updateWallet(WALLET, { title: 'Treasury' }, app);
if (updated.status === 200) console.log(updated.data.title);
const refused = await updateWallet(WALLET, { title: '' }, app);
if (refused.status === 400) console.log(refused.data.error.status);
