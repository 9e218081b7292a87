// A controller in a user's project, as an ES module and as the entry of bundles.
import { ConfigMap, controllerManagedBy, createManager } from '@mcr/core';
import { createKubeconfigProvider } from '@mcr/provider-kubeconfig';
import { reconcileOnce } from './reconcile-once.mjs';

void reconcileOnce({ ConfigMap, controllerManagedBy, createManager, createKubeconfigProvider });
