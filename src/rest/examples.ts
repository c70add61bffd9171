import type { OperationId } from './operations.ts';

/** An example request to a gateway at https://paw.example.com, and its response. */
export type Example = {
  /** The values of the path and query parameters. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly response: object;
};

const APP = 'apps/01M7XVFCT9MM09MW6FC1VZC09V';
const PROJECT = 'projects/01M7XVFACAN2VM24ABFVY6AKY8';
const WALLET = 'wallets/01M7XVFACX7TDDST8TMXWW608M';

// These have no valid checksum, so that secret scanners do not report them.
const PRIVATE_KEY = `paw_key_01M7XVFCT9MM09MW6FC1VZC09V01M7XVFCT9MM09MW6FC1VZC09W_${'0'.repeat(72)}`;
const ACCESS_TOKEN = `paw_app_01M7XVFCT9MM09MW6FC1VZC09V01M7XVFCV2C6PQF6P2GZ6V8D5E_${'0'.repeat(72)}`;

/** The examples, by operation id. */
export const examples: Readonly<Record<OperationId, Example>> = {
  createApp: {
    body: { title: 'Till', active: true },
    response: { name: APP, title: 'Till', privateKey: PRIVATE_KEY, active: true },
  },
  signIn: {
    body: { privateKey: { name: APP, privateKey: PRIVATE_KEY } },
    response: {
      accessToken: ACCESS_TOKEN,
      app: { name: APP, title: 'Till', privateKey: '', active: true },
    },
  },
  updateWallet: {
    parameters: { wallet_name: WALLET },
    body: { title: 'Treasury', network: 'NETWORK_POLYGON' },
    response: {
      name: WALLET,
      title: 'Treasury',
      description: '',
      project: PROJECT,
      network: 'NETWORK_POLYGON',
      address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      password: '',
    },
  },
  listProjects: {
    response: {
      projects: [
        {
          name: PROJECT,
          title: 'Atlas Studio',
          description: '',
          imageCoverUrl: 'https://paw.example.com/covers/01M7XVFACAN2VM24ABFVY6AKY8.svg',
          imageCoverCid: 'bafkreiglfhb2wh3kibho2tt2k7li4nl6pbpve24sdqogkclmjqgs63p3vy',
        },
        {
          name: 'projects/01M7XVFACEMTKEWWP33HKHPQBT',
          title: 'Harbour',
          description: 'Custody for a small fleet of fishing boats.',
          imageCoverUrl: 'https://paw.example.com/covers/01M7XVFACEMTKEWWP33HKHPQBT.svg',
          imageCoverCid: 'bafkreib7t5clhcf4sidifmi3a7f2te5izsryrdhqja3eg33mqrmirx6buq',
        },
      ],
      nextPageToken: '',
    },
  },
};
