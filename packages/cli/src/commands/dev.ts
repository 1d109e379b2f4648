import type { Command } from '../command.ts'
import { rejectPositionals } from '../command-line/arguments.ts'
import { devSettings } from '../dev/dev-settings.ts'
import { devSource } from '../dev/dev-source.ts'

/** `sluice dev`. */
export const dev: Command = {
  name: 'dev',
  summary:
    'starts a gateway without a configuration, or with the one in this folder; prints a key and a curl command',
  help: `
Usage: sluice dev [options]

  --port N          port to listen on; 0 picks a free one. Default: PORT, else 8787
  --host ADDRESS    address to listen on. Default: HOST, else 127.0.0.1, which is this machine only
  --config FILE     configuration to serve. Default: sluice.config.* in this folder, if there is one
  --database URL    database for keys and usage: file:./dev.db, postgres://... or :memory:.
                    Default: that of the configuration, else .sluice/dev.db
  --open            opens the console in the browser
  --no-console      turns the console off
  --any-model       local() answers every model name, not only known ones
  --no-discover     does not look for Ollama, llama.cpp, LM Studio and vLLM on this machine

A vendor is used if its API key is set in the environment, such as OPENAI_API_KEY; variables such as OPENAI_BASE_URL set
its URL. Otherwise local() answers for the vendor's models, such as gpt-4o.
SLUICE_API_KEY is the key of callers; without it, one is created.

In a terminal, h + Enter lists shortcuts: reload the configuration, show the URLs, open the console, clear, quit.

Examples:
  sluice dev --port 3000
  sluice dev --open
  OPENAI_API_KEY=sk-... sluice dev --host 0.0.0.0`,
  options: {
    port: { type: 'string' },
    host: { type: 'string' },
    config: { type: 'string' },
    database: { type: 'string' },
    open: { type: 'boolean' },
    'no-console': { type: 'boolean' },
    'any-model': { type: 'boolean' },
    'no-discover': { type: 'boolean' },
  },
  async run(values, positionals, context) {
    rejectPositionals('dev', positionals)
    const settings = devSettings(values, context.env)
    // Before the slow imports: the local servers have 300 ms to respond.
    const source = await devSource(settings, context)
    const { serveDev } = await import('../dev/serve-dev.ts')
    return serveDev(settings, source, context)
  },
}
