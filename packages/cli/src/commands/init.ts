import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, type CommandContext, CommandError } from '../command.ts'
import { rejectPositionals } from '../command-line/arguments.ts'
import { configsIn } from '../config/load/find-config.ts'
import { type EnvironmentVendor, environmentVendors } from '../dev/environment-vendors.ts'
import { starterConfig } from '../init/starter-config.ts'
import { jsonText, typedText, yamlText } from '../init/starter-text.ts'
import { sqliteLibrary } from '../state/state-packages.ts'

/** `sluice init`. */
export const init: Command = {
  name: 'init',
  summary: 'writes a configuration for the vendors whose API keys are set in the environment',
  help: `
Usage: sluice init [--yaml | --json] [--force]

  --yaml    writes sluice.config.yaml
  --json    writes sluice.config.json
            Default: sluice.config.ts, with types for your editor
  --force   overwrites an existing file

Uses the vendors whose API keys are set, such as OPENAI_API_KEY. The file references the variables and contains no key.

Example: sluice init && sluice check && sluice dev`,
  options: {
    yaml: { type: 'boolean' },
    json: { type: 'boolean' },
    force: { type: 'boolean' },
  },
  async run(values, positionals, context) {
    rejectPositionals('init', positionals)
    if (values.yaml === true && values.json === true) {
      throw new CommandError('sluice init: --yaml and --json exclude each other. Pass at most one.', 2)
    }
    const vendors = environmentVendors(context.env)
    const sections = starterConfig({ vendors, apiKey: Boolean(context.env.SLUICE_API_KEY) })
    const [file, text] =
      values.yaml === true
        ? ['sluice.config.yaml', yamlText(sections)]
        : values.json === true
          ? ['sluice.config.json', jsonText(sections)]
          : ['sluice.config.ts', typedText(sections)]
    const other = configsIn(context.cwd).find(name => name !== file)
    if (other !== undefined) {
      throw new CommandError(
        `This folder already has a configuration: ${other}. Remove it first, or run sluice init in another folder.`,
      )
    }
    write(join(context.cwd, file), file, text, values.force === true)
    const opensFiles = (await sqliteLibrary(context.cwd)) !== undefined
    context.print(nextSteps(file, vendors, context, opensFiles))
    return 0
  },
}

function write(path: string, file: string, text: string, force: boolean): void {
  try {
    writeFileSync(path, text, { flag: force ? 'w' : 'wx' })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') {
      throw new CommandError(`${file} already exists. Use --force to overwrite it.`)
    }
    throw new CommandError(
      `Cannot write ${file} (${code ?? 'unknown'}). Run sluice init in a writable folder.`,
    )
  }
}

function nextSteps(
  file: string,
  vendors: readonly EnvironmentVendor[],
  { env }: CommandContext,
  opensFiles: boolean,
): string {
  const found =
    vendors.length === 0
      ? `Wrote ${file}. No API key of a vendor is set, so its only model is answered by local(), which is not a language model.
Set OPENAI_API_KEY or another vendor's key and run npx sluice init --force, or add the vendor to the file.`
      : `Wrote ${file}, with ${vendors.map(({ title, keyVariable }) => `${title} (${keyVariable})`).join(', ')}.`
  const steps = [
    ...(opensFiles ? [] : [['npm install @libsql/client', 'opens sluice.db, as this Node.js has no SQLite']]),
    ['npx sluice check', 'validates it'],
    ['npx sluice dev', 'tries it, with the console'],
    ...(env.SLUICE_API_KEY ? [] : [['npx sluice keys create --name me', 'creates an API key']]),
    ['npx sluice serve', 'serves it'],
  ]
  return `${found}\n\nNext:\n${steps.map(([command = '', why]) => `  ${command.padEnd(34)}${why}`).join('\n')}`
}
