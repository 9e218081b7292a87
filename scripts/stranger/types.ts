// Every entry point that users import, compiled without skipLibCheck.
import * as apiserver from '@mcr/apiserver';
import * as apiserverProtocol from '@mcr/apiserver/protocol';
import * as tls from '@mcr/apiserver/tls';
import * as cli from '@mcr/cli';
import * as client from '@mcr/client';
import * as clientTesting from '@mcr/client/testing';
import { ConfigMap, controllerManagedBy, createManager, type Manager } from '@mcr/core';
import * as testing from '@mcr/core/testing';
import * as dashboard from '@mcr/dashboard';
import * as envtest from '@mcr/envtest';
import * as kinds from '@mcr/kinds';
import * as kindsTesting from '@mcr/kinds/testing';
import * as capi from '@mcr/provider-capi';
import * as conformance from '@mcr/provider-conformance';
import * as nodeTest from '@mcr/provider-conformance/node-test';
import * as file from '@mcr/provider-file';
import * as inventory from '@mcr/provider-inventory';
import * as kind from '@mcr/provider-kind';
import { createKubeconfigProvider } from '@mcr/provider-kubeconfig';
import * as multi from '@mcr/provider-multi';
import * as namespace from '@mcr/provider-namespace';
import * as webhook from '@mcr/webhook';
import { Counter } from 'prom-client';

const manager: Manager = await createManager({ provider: createKubeconfigProvider({ namespace: 'fleet' }) });
await controllerManagedBy(manager)
  .for(ConfigMap)
  .complete(async (request, { cluster }) => {
    const configMap = await (await cluster()).client.find(ConfigMap, request);
    const data: Readonly<Record<string, string>> | undefined = configMap?.data;
    console.log(data);
  });

// The registry of a manager takes metrics of the user's own prom-client.
if (manager.metrics) new Counter({ name: 'own_total', help: 'Total.', registers: [manager.metrics.registry] }).inc();

console.log(
  apiserver,
  apiserverProtocol,
  tls,
  cli,
  client,
  clientTesting,
  testing,
  dashboard,
  envtest,
  capi,
  conformance,
  nodeTest,
  file,
  inventory,
  kind,
  kinds,
  kindsTesting,
  multi,
  namespace,
  webhook,
);
