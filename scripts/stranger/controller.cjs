// The same controller in CommonJS.
const { ConfigMap, controllerManagedBy, createManager } = require('@mcr/core');
const { createKubeconfigProvider } = require('@mcr/provider-kubeconfig');
const { reconcileOnce } = require('./reconcile-once.mjs');

void reconcileOnce({ ConfigMap, controllerManagedBy, createManager, createKubeconfigProvider });
