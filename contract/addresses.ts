/** Country and common generic top-level domains. Mail programs turn a name with one of them into a link. */
const topLevelDomains = new Set(
  `com net org info biz name pro edu gov mil int app dev page site online website shop store club link click live top xyz
vip icu buzz fun work email cloud tech digital space today blog zip mov host press cam cyou sbs bond cfd quest monster
support services solutions network agency finance bank credit loans cash asia africa social media
university education academy school college degree study training courses institute center centre foundation community
help world life team bio lol art one ink chat group global international company careers jobs events direct express
guide report review reviews news video watch zone city plus pub run sale systems software codes computer security fyi
men bid loan date download stream trade party webcam accountant racing faith cricket ninja rocks wiki pics photos gallery
fund money pay tax exchange gift gives charity church ngo ong mobi tel uno lat autos beauty hair skin makeup homes boats
ac ae ai al am ar at au az ba bd be bg bh br by bz ca cc cf ch ci cl cm cn co cr cu cy cz de dk do dz ec ee eg es eu fi fm
fr ga ge gg gh gl gq gr hk hr hu id ie il im in io iq ir is it jo jp ke kg kr kw ky kz la lb lc li lk lt lu lv ly ma md me
mk ml mn mo mt mu mw mx my mz na ng nl no nu nz om pe ph pk pl ps pt pw py qa re ro rs ru rw sa sc sd se sg sh si sk sl sm
sn so st su sv sy sz tc td tg th tj tk tl tm tn to tr tt tv tw tz ua ug uk us uy uz va vc ve vg vn vu ws ye za zm zw
рф онлайн сайт 中国 中國 网址`.split(/\s+/u),
);

/**
 * Abbreviations that precede a dot in names and degrees: `St.John`, `Dr.Li`, `ASP.NET`. Single letters count as well:
 * `B.Sc`.
 */
const abbreviations = new Set(
  'dr mr mrs ms st ste prof rev engr arch barr hon pst sr jr chf chief alh gen col capt maj sgt lt asp'.split(' '),
);

/** Top-level domains that are also surnames: `Mr.Bond`. */
const surnames = new Set('bond page dev day one church'.split(' '));

/** Top-level domains that are also parts of degrees: `B.Sc/M.Sc`. */
const degrees = new Set('sc com tech art'.split(' '));

/**
 * Replaces compatibility forms and removes invisible characters, which hide an address from a search but not from a
 * reader.
 */
const normalizeText = (text: string): string =>
  text
    .normalize('NFKC')
    .replaceAll(/[\p{Cf}\p{DI}]/gu, '')
    // Browsers treat the ideographic full stop as a dot.
    .replaceAll('。', '.')
    .toLowerCase();

/**
 * Returns whether a text contains a web or email address. Names and other single lines must not contain one. They
 * appear in mails and lists, where strangers could otherwise send links in the name of the institution.
 */
export function hasAddress(text: string): boolean {
  const searched = normalizeText(text);
  return (
    /:\/\/|(?:^|[^\p{L}\p{N}])(?:www\d?\.[\p{L}\p{N}]|mailto:|xn--)|[\p{L}\p{N}]@[\p{L}\p{N}-]{1,63}\.[\p{L}\p{N}]/u.test(
      searched,
    ) ||
    /(?:^|[^\p{L}\p{N}.-])localhost(?::\d|\/)/u.test(searched) ||
    hasShortLink(searched) ||
    searched.split(/[^\p{L}\p{N}\p{M}.-]+/u).some(isHost)
  );
}

function isHost(token: string): boolean {
  const labels = token.replaceAll(/^[.-]+|[.-]+$/gu, '').split('.');
  const last = labels.pop() ?? '';
  if (labels.length === 0 || labels.includes('')) return false;
  if (labels.length === 3 && [...labels, last].every((label) => /^\d{1,3}$/u.test(label))) return true;
  if (!topLevelDomains.has(last) || token === 'asp.net') return false;
  const isName = last.length === 2 || surnames.has(last);
  return !labels.every((label) => label.length === 1 || (isName && abbreviations.has(label)));
}

function hasShortLink(text: string): boolean {
  return [
    ...text.matchAll(/(?<![\p{L}\p{N}\p{M}.-])(?<label>[\p{L}\p{N}]{1,5})\.(?<last>\p{L}{2,20})(?::\d{1,5})?\/\S/gu),
  ].some(
    ({ groups: { label = '', last = '' } = {} }) =>
      topLevelDomains.has(last) && `${label}.${last}` !== 'asp.net' && !(/^[bmd]$/u.test(label) && degrees.has(last)),
  );
}
