import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { PageAssets, RenderPage } from '#contract/page.ts';
import type { Institution } from '#contract/institution.ts';
import type { Web } from '#server/app/app.ts';

type Manifest = Record<string, { file: string; imports?: string[]; isEntry?: boolean; src?: string }>;

const entryModule = 'web/entry-client.tsx';
const earlyModule = 'web/early-clicks.ts';
const mainStyles = 'web/styles/main.css';
const allStylesSource = 'web/styles/all.css';

/**
 * Loads the web application that `npm run build` created.
 * @param folder `dist`
 * @throws Error with a message for the operator if the build is missing
 */
export function loadBuiltWeb(folder: string, institution: Institution): Web {
  const files = join(folder, 'web');
  let manifest: Manifest;
  try {
    manifest = JSON.parse(readFileSync(join(files, '.vite', 'manifest.json'), 'utf8')) as Manifest;
  } catch (error) {
    throw new Error('The pages have not been built. Start with "npm start", or run "npm run build" first.', {
      cause: error,
    });
  }
  const assets = describeAssets(manifest, files, institution);
  let loaded: Promise<RenderPage> | undefined;
  return {
    files: { folder: files },
    pages: {
      render: () => (loaded ??= loadRenderer(join(folder, 'server'))),
      assets: () => assets,
      policy: { script: '', style: '', connect: '', worker: '' },
    },
  };
}

/** Loads all lazy pages in advance, so that replacing the build on disk does not break a running server. */
async function loadRenderer(folder: string): Promise<RenderPage> {
  const load = (...path: string[]) => import(pathToFileURL(join(folder, ...path)).href);
  const { render } = (await load('entry-server.js')) as { render: RenderPage };
  const pages = readdirSync(join(folder, 'assets')).filter((name) => name.startsWith('pages-'));
  await Promise.all(pages.map((name) => load('assets', name)));
  return render;
}

function describeAssets(manifest: Manifest, folder: string, institution: Institution): PageAssets {
  const chunk = (name: string) => {
    const found = manifest[name];
    if (!found) throw new Error(`${name} is not part of the build.`);
    return found;
  };
  const read = (name: string) => readFileSync(join(folder, chunk(name).file), 'utf8');
  const withImports = (name: string, seen = new Set<string>()): Set<string> => {
    if (!seen.has(name)) {
      seen.add(name);
      for (const imported of chunk(name).imports ?? []) withImports(imported, seen);
    }
    return seen;
  };
  const shared = withImports(entryModule);
  const allStyles = Object.values(manifest).find(({ src }) => src?.endsWith(allStylesSource))?.file;
  if (allStyles === undefined) throw new Error(`${allStylesSource} is not part of the build.`);
  const scripts = new Map<string, readonly string[]>();
  return {
    // Inline, so that no further request delays the first paint.
    styles: brandOf(institution) + read(mainStyles),
    allStyles: readFileSync(join(folder, allStyles), 'utf8'),
    // A function keeps the names of the module out of the page's globals.
    earlyScript: `(()=>{${read(earlyModule).trim()}})()`,
    entry: `/${chunk(entryModule).file}`,
    listScripts: (page) => {
      const known = scripts.get(page);
      if (known) return known;
      const names = [...withImports(page)].filter((name) => !shared.has(name));
      const urls = [...shared, ...names].filter((name) => name !== entryModule).map((name) => `/${chunk(name).file}`);
      scripts.set(page, urls);
      return urls;
    },
  };
}

export const brandOf = ({ brand }: Institution): string =>
  `:root{--brand-hue:${brand.hue};--brand-chroma:${brand.chroma}}`;
