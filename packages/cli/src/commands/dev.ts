import type { Command } from '../command.ts'
import { noPositionals } from '../command-line/arguments.ts'
import { devSettings } from '../dev/dev-settings.ts'
import { devSource } from '../dev/dev-source.ts'

/** `sluice dev`. */
export const dev: Command = {
  name: 'dev',
  summary: 'serves without any configuration, or that of this folder; prints a key and a curl line',
  help: `
Usage: sluice dev [options]

  --port N          where it listens; 0 takes a free port. Default: PORT, else 8787
  --host ADDRESS    default: HOST, else 127.0.0.1, which is this machine only
  --config FILE     the configuration to serve. Default: sluice.config.* of this folder; without one, none is needed
  --database URL    where keys and usage are kept: file:./dev.db, postgres://... or :memory: for nowhere.
                    Default: .sluice/dev.db, unless the configuration says where
  --no-console      without the page
  --any-model       local() answers every model name, not only those that are known
  --no-discover     does not look for Ollama, llama.cpp, LM Studio and vLLM on this machine

Models of vendors, such as gpt-4o, are answered by their vendor if its key is there, and by local() if not. Vendors are taken by the keys in the environment, such as OPENAI_API_KEY; OPENAI_BASE_URL and so on say where they are.
SLUICE_API_KEY is the key that callers use; without it one is made.

Example: sluice dev --port 3000`,
  options: {
    port: { type: 'string' },
    host: { type: 'string' },
    config: { type: 'string' },
    database: { type: 'string' },
    'no-console': { type: 'boolean' },
    'any-model': { type: 'boolean' },
    'no-discover': { type: 'boolean' },
  },
  async run(values, positionals, world) {
    noPositionals('dev', positionals)
    const settings = devSettings(values, world.env)
    // Before what takes long to load: who waits 300 milliseconds for an answer has to be there to hear it.
    const source = await devSource(settings, world)
    const { serveDev } = await import('../dev/serve-dev.ts')
    return serveDev(settings, source, world)
  },
}
