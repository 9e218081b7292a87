import { defineKind, type ObjectOf } from '@mcr/kinds';
import * as z from 'zod';

/** A greeting, which the controller writes into a ConfigMap of the same name. */
export const Greeting = defineKind({
  apiVersion: 'demo.example.com/v1',
  kind: 'Greeting',
  plural: 'greetings',
  scope: 'Namespaced',
  spec: z.object({
    recipient: z.string().min(1).max(100).describe('Who is greeted.'),
    salutation: z.string().max(100).default('Hello').describe('Word before the recipient.'),
  }),
  status: z.object({
    text: z.string().optional().describe('The text in the ConfigMap.'),
  }),
});
export type Greeting = ObjectOf<typeof Greeting>;
