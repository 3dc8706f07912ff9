import type { RosterField } from './roster-row.ts';

/**
 * Headings of each field, as spreadsheets, Banner, PeopleSoft and OneRoster write them: lower case, letters and digits
 * only. If two columns of a file have a heading of the same field, the earlier spelling wins.
 */
const headings: Record<RosterField, string> = {
  matricNumber: `
    matricnumber matricno matricnum matric matriculationnumber matriculationno matricnos matricid
    regnumber regno registrationnumber registrationno regnum
    studentnumber studentno studentid studentidnumber studid stuid admissionnumber admissionno rollnumber rollno indexnumber indexno
    spridenid spridenidnum emplid campusid identifier sourcedid idnumber idno matricule`,
  lastName: `
    lastname surname familyname surnames spridenlastname lname lastnamesrch secondname nachname nom`,
  firstName: `
    firstname forename givenname christianname spridenfirstname fname forenames givennames vorname prenom`,
  otherNames: `
    othernames othername middlename middlenames spridenmi middleinitial mname secondnames mi`,
  fullName: `
    fullname name names studentname studentsname nameofstudent nameofstudents namesofstudents candidatename candidatesname
    nameofcandidate nameofgraduate graduatename graduandname displayname studentfullname studentnames namedisplay surnamefirst
    surnameothernames surnameandothernames fullnames`,
  gender: `
    gender sex spbperssex spberssex`,
  birthDate: `
    birthdate dateofbirth dob birthday spbpersbirthdate birthdt bdate dobddmmyyyy dobmmddyyyy dateofbirthddmmyyyy born`,
  college: `
    college faculty school collegecode facultyname collegename sgbstdncollcode1 sgbstdncollcode acadgroup facultyschool collegefaculty`,
  department: `
    department dept departmentname deptname sgbstdndeptcode sgbstdndeptcode1 acadorg departments departement`,
  program: `
    program programme degree course courseofstudy programofstudy programmeofstudy programname programmename degreeprogramme
    degreeprogram sgbstdnprogram1 sgbstdnprogram acadplan acadprog sgbstdndegccode1 qualification degreeinview award major discipline`,
  yearAdmitted: `
    yearadmitted admissionyear yearofadmission yearofentry entryyear sessionadmitted admissionsession entrysession sessionofentry
    yearofmatriculation matriculationyear admityear admitterm sgbstdntermcodeadmit yearentered startyear sessionofadmission`,
  yearGraduated: `
    yeargraduated graduationyear yearofgraduation gradyear classof sessiongraduated graduationsession sessionofgraduation
    convocationyear yearofconvocation completionyear yearofcompletion expgradterm dateofgraduation graduationdate endyear
    graduatingyear graduatingsession yearofgrad setyear shrdgmrgraddate shrdgmracyrcode`,
  email: `
    email emailaddress emailid mail goremalemailaddress emailaddr studentemail schoolemail institutionalemail personalemail
    universityemail emails`,
  phone: `
    phone phonenumber phoneno telephone telephonenumber mobile mobilenumber mobileno mobilephone gsm gsmnumber gsmno tel sms
    sprtelephonenumber sprtelephone contactnumber`,
  status: `
    status studentstatus academicstatus enrolmentstatus enrollmentstatus sgbstdnstststatus sgbstdnstscode acadstatus studstatus
    progstatus recordstatus`,
  isConfidential: `
    confidential isconfidential spbpersconfidind confidentialityflag confidentiality ferpa ferpaflag privacyflag confid`,
  isDeceased: `
    deceased isdeceased spbpersdeadind deceasedflag dead late`,
  diedOn: `
    diedon dateofdeath deathdate spbpersdeaddate dtofdeath dod deceaseddate`,
};

/**
 * Headings of data that the archive does not store: grades, class of degree, nationality, religion, parents, photos and
 * similar.
 */
const leftOutHeadings = `
  grade grades cgpa gpa fcgpa cumulativegpa classofdegree degreeclass classofdegreeawarded result results score scores honours
  nationality citizenship country nation stateoforigin state lga localgovernment localgovernmentarea tribe ethnicity ethnicgroup race
  spberscitzcode spbperscitzcode spbpersethncode spbpersethncde spbperslgcycode
  religion religious denomination faith spbpersrelgcode
  father fathersname fathername mother mothersname mothername mothersmaidenname parent parents parentname parentsname parentphone
  parentsphone parentemail guardian guardianname guardiansname guardianphone nextofkin nextofkinname nextofkinphone nextofkinaddress
  nok nokname nokphone sponsor sponsorname agentsourcedids
  photo photos photograph picture passport passportphoto passportphotograph image signature fingerprint
  maritalstatus spbpersmrtlcode bloodgroup genotype disability medical nin bvn ssn spbpersssn nationalid nationalidnumber jambscore
  utmescore password spbperspin pin bankaccount accountnumber`;

const toWords = (text: string): string[] => text.split(/\s+/u).filter(Boolean);

const fieldsByHeading = new Map(
  Object.entries(headings).flatMap(([field, words]) =>
    toWords(words).map((word, rank) => [word, { field: field as RosterField, rank }] as const),
  ),
);
const leftOut = new Set(toWords(leftOutHeadings));

const normalizeHeading = (heading: string): string => {
  const toKey = (text: string) =>
    text
      .normalize('NFKD')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]/gu, '');
  return toKey(heading.replaceAll(/\([^)]*\)/gu, '')) || toKey(heading);
};

/** Maximum length of a heading that can be known. The patterns above take quadratic time. */
const maxHeadingChars = 200;

export function recognizeHeading(heading: string): { field: RosterField; rank: number } | 'left-out' | null {
  const key = normalizeHeading(heading.slice(0, maxHeadingChars));
  if (leftOut.has(key)) return 'left-out';
  return fieldsByHeading.get(key) ?? null;
}
