/**
 * The source of a script that captures clicks before hydration and replays them after it. Every page contains the script in
 * its head, so it is short.
 *
 * - Only controls that need JavaScript are captured. Links, menus and forms with an `action` work without JavaScript.
 * - A captured click does not reach React, which would otherwise handle a click during hydration as well.
 * - Each control is clicked once, in the order of the first clicks. Until then it is half transparent.
 * - If a translator or an extension has changed the page, React replaces its elements. The control with the same index among
 *   the controls is then clicked.
 * - If a script fails to load, the clicks are replayed for the browser, which submits forms that work without JavaScript.
 *   Forms that need JavaScript have the method `dialog`: the browser sends nothing and keeps the input.
 *
 * The script also stores the URL that the page was rendered for, because the user can go back before hydration.
 */
export const earlyClickScript = `var renderedUrl=location.href;{let s=new Map,p="opacity-60",q="button:not([popovertarget],[action] *),[aria-haspopup],[type=checkbox]",h=e=>{let b=e.target.closest(q);if(b)e.preventDefault(),e.stopPropagation(),b.classList.add(p),s.set(b,[...document.querySelectorAll(q)].indexOf(b))},g=()=>setTimeout(()=>{removeEventListener("click",h,!0);for(let[b,i]of s)b.classList.remove(p),(b.isConnected?b:document.querySelectorAll(q)[i])?.dispatchEvent(new MouseEvent("click",{bubbles:!0,cancelable:!0}));s.clear()});addEventListener("click",h,!0);addEventListener("live",g);addEventListener("error",e=>e.target.type=="module"&&g(),!0)}`;
