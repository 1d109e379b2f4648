import type { TableEntry } from '../command.ts'

/** Every command of `sluice`, in the order in which help shows them. */
export const commandTable: readonly TableEntry[] = [
  {
    name: 'dev',
    summary:
      'starts a gateway without a configuration, or with the one in this folder; prints a key and a curl command',
    load: async () => (await import('../commands/dev.ts')).dev,
  },
  {
    name: 'serve',
    summary: 'serves a configuration, and reloads it when it changes',
    load: async () => (await import('../commands/serve.ts')).serve,
  },
  {
    name: 'init',
    summary: 'writes a configuration for the vendors whose API keys are set in the environment',
    load: async () => (await import('../commands/init.ts')).init,
  },
  {
    name: 'check',
    summary: 'validates a configuration, and lists all its errors',
    load: async () => (await import('../commands/check.ts')).check,
  },
  {
    name: 'doctor',
    summary: 'checks this machine, the configuration and what it connects to, with a fix for each problem',
    load: async () => (await import('../commands/doctor.ts')).doctor,
  },
  {
    name: 'explain',
    summary: 'shows which targets a request would be sent to, and why',
    load: async () => (await import('../commands/explain.ts')).explain,
  },
  {
    name: 'simulate',
    summary: 'shows what traffic and outages would do to a configuration, on a virtual clock',
    load: async () => (await import('../commands/simulate.ts')).simulate,
  },
  {
    name: 'keys create',
    summary: 'creates an API key, and prints it once',
    load: async () => (await import('../commands/keys-create.ts')).keysCreate,
  },
  {
    name: 'keys list',
    summary: 'lists API keys, without their secrets',
    load: async () => (await import('../commands/keys-list.ts')).keysList,
  },
  {
    name: 'keys rotate',
    summary: 'creates a new secret for a key; the old one can stay valid for a while',
    load: async () => (await import('../commands/keys-rotate.ts')).keysRotate,
  },
  {
    name: 'keys disable',
    summary: 'disables a key until it is enabled again',
    load: async () => (await import('../commands/keys-change.ts')).keysDisable,
  },
  {
    name: 'keys enable',
    summary: 'enables a disabled key',
    load: async () => (await import('../commands/keys-change.ts')).keysEnable,
  },
  {
    name: 'keys delete',
    summary: 'deletes a key; its usage stays in the ledger',
    load: async () => (await import('../commands/keys-delete.ts')).keysDelete,
  },
  {
    name: 'usage',
    summary: 'reports usage and cost from the ledger',
    load: async () => (await import('../commands/usage.ts')).usage,
  },
  {
    name: 'logs',
    summary: 'searches the request log, and exports it',
    load: async () => (await import('../commands/logs.ts')).logs,
  },
  {
    name: 'replay',
    summary: 'sends a stored request again, and compares the responses',
    load: async () => (await import('../commands/replay.ts')).replay,
  },
  {
    name: 'import',
    summary: 'converts a configuration of LiteLLM or Portkey, and lists the settings without an equivalent',
    load: async () => (await import('../commands/import.ts')).importCommand,
  },
  {
    name: 'completions',
    summary: 'prints a shell completion script',
    load: async () => (await import('../commands/completions.ts')).completionsOf(commandTable),
  },
]
