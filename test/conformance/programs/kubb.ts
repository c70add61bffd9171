import { isAxiosError } from 'axios';
import { createApp, listProjects, signIn, updateWallet } from './generated/index.ts';

const { PAW, TOKEN, WALLET = '' } = process.env;
const as = (token?: string) => ({ baseURL: String(PAW), headers: { authorization: `Bearer ${token}` } });

const { name, privateKey } = await createApp({ title: 'Till', active: true }, {}, as(TOKEN));
const { accessToken } = await signIn({ privateKey: { name, privateKey } }, {}, as(TOKEN));

const app = as(accessToken);
const { projects } = await listProjects({ pageSize: 2 }, {}, app);
console.log(projects.map(({ title }) => title).join());
console.log((await updateWallet(WALLET, { title: 'Treasury' }, {}, app)).title);
try {
  await updateWallet(WALLET, { title: '' }, {}, app);
} catch (error) {
  if (!isAxiosError(error)) throw error;
  console.log(error.response?.data.error.status);
}
