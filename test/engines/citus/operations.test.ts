import { test } from 'vitest';
import { useAllOperations } from '../../support/all-operations.ts';
import { seedTenant, useGateway } from '../../support/gateway.ts';

const gateway = useGateway();

test('every operation of both APIs succeeds on distributed tables', async () => {
  const tenant = await seedTenant(gateway, { projects: 3, wallets: 2 });
  await useAllOperations(gateway, tenant);
});
