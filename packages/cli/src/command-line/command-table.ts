import type { TableEntry } from '../command.ts'

/** Every command of `sluice`, in the order in which help shows them. */
export const commandTable: readonly TableEntry[] = [
  {
    name: 'dev',
    summary: 'serves without any configuration, or that of this folder; prints a key and a curl line',
    load: async () => (await import('../commands/dev.ts')).dev,
  },
  {
    name: 'serve',
    summary: 'serves a configuration, and follows its changes',
    load: async () => (await import('../commands/serve.ts')).serve,
  },
  {
    name: 'init',
    summary: 'writes a configuration for the vendors whose keys are in the environment',
    load: async () => (await import('../commands/init.ts')).init,
  },
  {
    name: 'check',
    summary: 'tells every fault of a configuration, without serving it',
    load: async () => (await import('../commands/check.ts')).check,
  },
  {
    name: 'explain',
    summary: 'tells where a request would go, and why',
    load: async () => (await import('../commands/explain.ts')).explain,
  },
  {
    name: 'keys create',
    summary: 'issues a key, and shows it this once',
    load: async () => (await import('../commands/keys-create.ts')).keysCreate,
  },
  {
    name: 'keys list',
    summary: 'lists the keys, without the keys themselves',
    load: async () => (await import('../commands/keys-list.ts')).keysList,
  },
  {
    name: 'keys rotate',
    summary: 'gives a key a new secret; the old one may go on for a while',
    load: async () => (await import('../commands/keys-rotate.ts')).keysRotate,
  },
  {
    name: 'keys disable',
    summary: 'refuses a key until it is enabled again',
    load: async () => (await import('../commands/keys-change.ts')).keysDisable,
  },
  {
    name: 'keys enable',
    summary: 'takes a disabled key again',
    load: async () => (await import('../commands/keys-change.ts')).keysEnable,
  },
  {
    name: 'keys delete',
    summary: 'forgets a key; what it has used stays in the ledger',
    load: async () => (await import('../commands/keys-delete.ts')).keysDelete,
  },
  {
    name: 'usage',
    summary: 'says who used what, from the ledger',
    load: async () => (await import('../commands/usage.ts')).usage,
  },
  {
    name: 'import',
    summary:
      'prints the configuration that does what one of LiteLLM or Portkey does, and what has no equivalent',
    load: async () => (await import('../commands/import.ts')).importCommand,
  },
  {
    name: 'completions',
    summary: 'prints a script by which a shell completes commands and options',
    load: async () => (await import('../commands/completions.ts')).completionsOf(commandTable),
  },
]
