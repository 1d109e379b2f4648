import { build } from 'esbuild'

/**
 * Bundles a program with the sources of packages, so that it starts in a tenth of the time.
 *
 * @param entry the program
 * @param outfile the script to write, an ES module
 * @param plugins of esbuild
 */
export async function bundleProgram(entry, outfile, plugins = []) {
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['@sluice/source'],
    plugins,
    // Packages in CommonJS require modules of Node.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    logLevel: 'error',
  })
}
