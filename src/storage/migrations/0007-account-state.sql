-- The tokens of an account that is not ACTIVE are refused.

ALTER TABLE account ADD COLUMN state TEXT NOT NULL DEFAULT 'ACTIVE';

-- With the account, one statement reads a token and the state of its account, and the tokens of an account are a range.

ALTER TABLE token ADD COLUMN account_id TEXT NOT NULL DEFAULT '';

UPDATE token SET account_id = namespace WHERE namespace IN (SELECT id FROM account);

UPDATE token SET account_id =
  COALESCE((SELECT app.account_id FROM app WHERE 'apps/' || app.id = 'apps/' || token.namespace), '')
WHERE account_id = '';

CREATE INDEX token_by_account ON token (account_id, key);

-- For the commands that know only the id of a token, or the name of a wallet.

CREATE INDEX token_by_name ON token (('tokens/' || key));

CREATE INDEX wallet_by_name ON wallet (('wallets/' || id));

-- For the lists of one project.

CREATE INDEX app_by_project ON app (account_id, project_id, id);

CREATE INDEX wallet_by_project ON wallet (account_id, project_id, id);
