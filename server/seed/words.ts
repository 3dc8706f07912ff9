/* Words to invent people with. Names as they are common in the south-west, the south-east and the north of Nigeria. */

export const maleNames = [
  'Adébáyọ̀', 'Adékúnlé', 'Ayọ̀délé', 'Babátúndé', 'Bọ́lájí', 'Dáre', 'Fẹ́mi', 'Gbénga', 'Jídé', 'Káyọ̀dé', 'Kọ́láwọlé', 'Lékan',
  'Olúwaṣeun', 'Ọládélé', 'Ọláwálé', 'Ṣọlá', 'Ṣẹ́gun', 'Táíwò', 'Túnjí', 'Wálé', 'Chibụike', 'Chidi', 'Chinedụ', 'Emeka', 'Ifeanyị',
  'Ikenna', 'Kelechi', 'Nnamdi', 'Obinna', 'Okechukwu', 'Ugochukwu', 'Uchenna', 'Abdullahi', 'Aminu', 'Bello', 'Ibrahim', 'Kabiru',
  'Musa', 'Sani', 'Usman', 'Yusuf', 'Daniel', 'David', 'Emmanuel', 'John', 'Joseph', 'Michael', 'Peter', 'Samuel', 'Victor',
] as const;

export const femaleNames = [
  'Abísọ́lá', 'Adéọlá', 'Adérónkẹ́', 'Àbẹ̀ní', 'Bísí', 'Bùkọ́lá', 'Dámilọ́lá', 'Fọlákẹ́', 'Fúnmiláyọ̀', 'Ìyábọ̀', 'Kẹ́hìndé', 'Mọrẹ́nikẹ́',
  'Olúfúnkẹ́', 'Ọmọ́lará', 'Rónkẹ́', 'Ṣadé', 'Tèmítọ́pẹ́', 'Títílayọ̀', 'Yétúndé', 'Yẹmisí', 'Adaeze', 'Amarachi', 'Chiamaka', 'Chidinma',
  'Chioma', 'Ebele', 'Ifeoma', 'Ngọzi', 'Nkechi', 'Nneka', 'Obiageli', 'Ogechi', 'Uju', 'Aisha', 'Amina', 'Fatima', 'Hadiza',
  'Halima', 'Maryam', 'Rakiya', 'Zainab', 'Blessing', 'Esther', 'Grace', 'Joy', 'Mary', 'Mercy', 'Ruth', 'Sarah', 'Victoria',
] as const;

export const lastNames = [
  'Abíọ́dún', 'Adébísí', 'Adégoke', 'Adélékè', 'Adéníyì', 'Adéyẹmí', 'Àjàyí', 'Àkàndé', 'Akínọlá', 'Àlàbí', 'Awólọ́wọ̀', 'Ayọ̀délé',
  'Balógun', 'Dáwódù', 'Fálànà', 'Fágbémi', 'Ìdòwú', 'Jẹ́jẹ́', 'Kúyẹ̀', 'Lawal', 'Ògúnlésì', 'Ògúnṣọlá', 'Ọládípọ̀', 'Ọláníyan',
  'Olúwọlé', 'Òjó', 'Oyèbándé', 'Oyèwọlé', 'Ṣóbọ̀wálé', 'Ṣówándé', 'Tinúbu', 'Anyanwụ', 'Chukwu', 'Eze', 'Ezeụgo', 'Igwe', 'Nnaji',
  'Nwachukwu', 'Nwankwọ', 'Nwosu', 'Obi', 'Okafọr', 'Okeke', 'Okonkwọ', 'Okoye', 'Onyeka', 'Ọnụọha', 'Udeh', 'Abubakar', 'Bello',
  'Ɗanjuma', 'Garba', 'Ibrahim', 'Ƙasim', 'Mohammed', 'Sani', 'Shehu', 'Suleiman', 'Yakubu', 'Yusuf', 'Adams', "D'Almeida", 'Da-Costa',
  'Johnson', 'Williams',
] as const;

export const streets = ['Aké Road', 'Ìjẹ̀mọ̀ Street', 'Kútọ̀ Avenue', 'Lafenwa Road', 'Market Street', 'Oke-Ilewo', 'Quarry Road', 'School Road', 'Unity Close'] as const;
export const towns = ['Abẹ́òkúta', 'Ìbàdàn', 'Ìjẹ̀bú-Òde', 'Lagos', 'Òṣogbo', 'Ṣàgámù', 'Enugu', 'Kano', 'Abuja', 'Port Harcourt'] as const;

export const interests = [
  'Robotics', 'Choir', 'Farming', 'Football', 'Chess', 'Poetry', 'Highlife music', 'Debating', 'Photography', 'Teaching maths',
  'Open source', 'Fashion design', 'Cooking', 'Local history', 'Long-distance running', 'Bird watching', 'Theatre', 'Crosswords',
] as const;

export const callings = [
  'Teacher', 'Software developer', 'Nurse', 'School principal', 'Lecturer', 'Civil servant', 'Journalist', 'Accountant', 'Farmer',
  'Radio presenter', 'Data analyst', 'Lab technician', 'Photographer', 'Head of department', 'Founder of a small school', 'Librarian',
] as const;

export const stories = [
  'I still know the way to the reading room blind, and I owe half of what I know to the people who sat there with me.',
  'After my service year I came back to the place where I grew up, and I have been teaching there ever since.',
  'We were eleven in our class. If you were one of the other ten: write to me.',
  'I came for the degree and stayed for the people. Ask me about the night before the final exams.',
  'Now with three children and too many books. Always glad to help those who are just starting out.',
  'I work between two cities, and on the road I listen to the recordings of our choir.',
  'My first program ran on a borrowed laptop in the hostel. The second one got me a job.',
  'What I learned in the workshop was patience. The rest came by itself.',
] as const;
