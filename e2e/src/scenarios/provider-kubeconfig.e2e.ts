import { inventoryScenario } from '../fleet/inventory-provider.ts';

inventoryScenario('kubeconfig');
